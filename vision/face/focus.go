package face

// refocus brings b to a's sharpness: a lens that focuses anew between two
// cards, or a card that lies higher, blurs print by some tenths of a pixel,
// which to first order adds a share of the Laplacian (the heat equation). The
// share is fitted over the whole card together with the gain, on cells that
// are compared.
func refocus(a *channel, b plane32, skip []bool) plane32 {
	lap := laplacian(b)
	var bb, bl, ll, ab, al float64
	for j := range a.rows {
		for i := range a.cols {
			if skip != nil && skip[j*a.cols+i] {
				continue
			}
			var s [5]float32
			for y := j * cellPx; y < (j+1)*cellPx; y++ {
				p, q, l := a.row(y), b.row(y), lap.row(y)
				for x := i * cellPx; x < (i+1)*cellPx; x++ {
					s[0] += q[x] * q[x]
					s[1] += q[x] * l[x]
					s[2] += l[x] * l[x]
					s[3] += p[x] * q[x]
					s[4] += p[x] * l[x]
				}
			}
			bb += float64(s[0])
			bl += float64(s[1])
			ll += float64(s[2])
			ab += float64(s[3])
			al += float64(s[4])
		}
	}
	det := bb*ll - bl*bl
	if !(det > 0) {
		return b
	}
	g, c := (ab*ll-al*bl)/det, (al*bb-ab*bl)/det
	if g < 0.3 {
		return b // not the same print
	}
	// Beyond a third the Laplacian's own chequer would appear.
	k := float32(min(max(c/g, -0.33), 0.33))
	for i := range b.v {
		b.v[i] += k * lap.v[i]
	}
	return b
}

func laplacian(p plane32) plane32 {
	out := newPlane(p.w, p.h)
	for y := 1; y < p.h-1; y++ {
		up, here, down, o := p.row(y-1), p.row(y), p.row(y+1), out.row(y)
		for x := 1; x < p.w-1; x++ {
			o[x] = up[x] + down[x] + here[x-1] + here[x+1] - 4*here[x]
		}
	}
	return out
}
