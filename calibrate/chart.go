package calibrate

import "fmt"

// Edition says which pigments a 24-patch chart has: the maker changed them in
// November 2014.
type Edition string

// The editions.
const (
	Since2014  Edition = "2014"
	Before2014 Edition = "2000"
)

// PatchNames of the 24 patches, row by row from the brown one.
func PatchNames() [24]string {
	return [24]string{
		"dark skin", "light skin", "blue sky", "foliage", "blue flower", "bluish green",
		"orange", "purplish blue", "moderate red", "purple", "yellow green", "orange yellow",
		"blue", "green", "red", "yellow", "magenta", "cyan",
		"white", "neutral 8", "neutral 6.5", "neutral 5", "neutral 3.5", "black",
	}
}

// labD50 are the maker's measured colours: CIELAB, D50, 2 degrees.
func labD50(e Edition) ([24][3]float64, error) {
	switch e {
	case Since2014, "":
		return [24][3]float64{
			{37.54, 14.37, 14.92}, {64.66, 19.27, 17.50}, {49.32, -3.82, -22.54}, {43.46, -12.74, 22.72}, {54.94, 9.61, -24.79}, {70.48, -32.26, -0.37},
			{62.73, 35.83, 56.50}, {39.43, 10.75, -45.17}, {50.57, 48.64, 16.67}, {30.10, 22.54, -20.87}, {71.77, -24.13, 58.19}, {71.51, 18.24, 67.37},
			{28.37, 15.42, -49.80}, {54.38, -39.72, 32.27}, {42.43, 51.05, 28.62}, {81.80, 2.67, 80.41}, {50.63, 51.28, -14.12}, {49.57, -29.71, -28.32},
			{95.19, -1.03, 2.93}, {81.29, -0.57, 0.44}, {66.89, -0.75, -0.06}, {50.76, -0.13, 0.14}, {35.63, -0.46, -0.48}, {20.64, 0.07, -0.46},
		}, nil
	case Before2014:
		return [24][3]float64{
			{37.986, 13.555, 14.059}, {65.711, 18.13, 17.81}, {49.927, -4.88, -21.925}, {43.139, -13.095, 21.905}, {55.112, 8.844, -25.399}, {70.719, -33.397, -0.199},
			{62.661, 36.067, 57.096}, {40.02, 10.41, -45.964}, {51.124, 48.239, 16.248}, {30.325, 22.976, -21.587}, {72.532, -23.709, 57.255}, {71.941, 19.363, 67.857},
			{28.778, 14.179, -50.297}, {55.261, -38.342, 31.37}, {42.101, 53.378, 28.19}, {81.733, 4.039, 79.819}, {51.935, 49.986, -14.574}, {51.038, -28.631, -28.638},
			{96.539, -0.425, 1.186}, {81.257, -0.638, -0.335}, {66.766, -0.734, -0.504}, {50.867, -0.153, -0.27}, {35.656, -0.421, -1.231}, {20.461, -0.079, -0.973},
		}, nil
	}
	return [24][3]float64{}, fmt.Errorf("a chart of edition %q: want %s (November 2014 and later) or %s", e, Since2014, Before2014)
}

// ChartColours are the patches in linear light of sRGB under D65, red, green
// and blue; cyan lies outside and has a red below 0. The maker's D50 values
// are adapted by Bradford's transform (Lindbloom; CIE 160:2004).
func ChartColours(e Edition) ([24][3]float64, error) {
	lab, err := labD50(e)
	var out [24][3]float64
	if err != nil {
		return out, err
	}
	for i, v := range lab {
		x, y, z := labToXYZ(v, [3]float64{0.96422, 1, 0.82521})
		// D50 to D65.
		x, y, z = 0.9555766*x-0.0230393*y+0.0631636*z, -0.0282895*x+1.0099416*y+0.0210077*z, 0.0122982*x-0.0204830*y+1.3299098*z
		// IEC 61966-2-1, XYZ to sRGB.
		out[i] = [3]float64{
			3.2404542*x - 1.5371385*y - 0.4985314*z,
			-0.9692660*x + 1.8760108*y + 0.0415560*z,
			0.0556434*x - 0.2040259*y + 1.0572252*z,
		}
	}
	return out, nil
}

func labToXYZ(lab, white [3]float64) (x, y, z float64) {
	fy := (lab[0] + 16) / 116
	inv := func(f float64) float64 {
		const d = 6.0 / 29
		if f > d {
			return f * f * f
		}
		return 3 * d * d * (f - 4.0/29)
	}
	return white[0] * inv(fy+lab[1]/500), white[1] * inv(fy), white[2] * inv(fy-lab[2]/200)
}
