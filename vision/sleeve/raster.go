package sleeve

// Small operations on one-channel planes, row-major float32.

// boxBlur averages over a (2r+1)-square; beyond the rim the rim's pixels
// repeat. Running sums make the cost independent of r. The result is lent by sc.
func boxBlur(sc *scratch, src []float32, w, h, r int) []float32 {
	tmp, dst := sc.get(len(src)), sc.get(len(src))
	boxRows(src, tmp, w, h, r)
	boxColumns(tmp, dst, w, h, r)
	sc.put(tmp)
	return dst
}

func boxRows(src, dst []float32, w, h, r int) {
	inv := 1 / float32(2*r+1)
	for y := range h {
		row, out := src[y*w:(y+1)*w], dst[y*w:(y+1)*w]
		first, last := row[0], row[w-1]
		sum := float32(r+1) * first
		for k := 1; k <= r; k++ {
			sum += row[min(k, w-1)]
		}
		for x := range w {
			out[x] = sum * inv
			in, off := last, first
			if x+r+1 < w {
				in = row[x+r+1]
			}
			if x-r >= 0 {
				off = row[x-r]
			}
			sum += in - off
		}
	}
}

func boxColumns(src, dst []float32, w, h, r int) {
	inv := 1 / float32(2*r+1)
	sum := make([]float32, w)
	for k := -r; k <= r; k++ {
		row := src[min(max(k, 0), h-1)*w:]
		for x := range w {
			sum[x] += row[x]
		}
	}
	for y := range h {
		out := dst[y*w : (y+1)*w]
		in := src[min(y+r+1, h-1)*w:]
		off := src[max(y-r, 0)*w:]
		for x := range w {
			out[x] = sum[x] * inv
			sum[x] += in[x] - off[x]
		}
	}
}

// bandPass is a plane less its own mean over a (2r+1)-square.
func bandPass(sc *scratch, src []float32, w, h, r int) []float32 {
	b := boxBlur(sc, src, w, h, r)
	for i, v := range src {
		b[i] = v - b[i]
	}
	return b
}
