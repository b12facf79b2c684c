// Package visiontest is a synthetic station: it renders decks of sleeved
// cards as a real camera would photograph them, and knows the truth.
//
//	Deck ──New──▶ Station ──Frame(i)──▶ frame.Image      (as decoded from its JPEG)
//	 │              │   └──File(i)───▶ bytes of a JPEG or PNG
//	 │              └──Truth()──▶ Truth ──Write──▶ truth.json
//	 └──Render──▶ all frames and the truth at once
//
// A picture is made in linear light and in this order:
//
//	table ─▶ shadow ─▶ sleeve: print x light + mirror ─▶ blur ─▶ vignetting
//	  ─▶ exposure and white balance ─▶ noise ─▶ tone curve ─▶ JPEG
//
// Everything random comes from Deck.Seed; equal decks give equal bytes. The
// zero Deck is 60 plain blue sleeves on paper. A deck with something to find:
//
//	d := visiontest.Deck{
//		Seed:  7,
//		Cards: 20,
//		Sleeve: visiontest.Sleeve{Colour: visiontest.Black, Finish: visiontest.Gloss},
//		Table: visiontest.Table{Kind: visiontest.Playmat},
//		Marks: []visiontest.Mark{{Kind: visiontest.PenDot, Cards: []int{3},
//			WhereMM: plane.Point{X: 20, Y: 30}, SizeMM: 0.8, DeltaE: 20}},
//		Turned: []int{5, 9},
//	}
//	frames, truth, err := d.Render(ctx)
//
// [RandomSpec] draws whole stations from a seed, as varied as [Ranges] says;
// seeds from [HeldOut] on are kept for final checks. [Gallery] repeats one kind
// of mark at one size and contrast. Package score compares an inspection with
// the truth.
//
// # How bad a mark is
//
// Contrast is CIEDE2000 between two noise-free renders of the sleeve, with and
// without the mark. The truth gives it twice. As the station's camera sees it:
// peak, mean and area over the pixels that differ by more than 2. And as a
// person sees it at 400 mm ([Seen]): both close-ups are filtered by the eye's
// contrast sensitivity (S-CIELAB) and compared; the peak and the root of the
// integrated square give the severity word ([Severity]), whatever the camera.
//
// # What is not modelled
//
// Light that passes between sleeves, the colour response of real sensors, rolling
// shutter, lenses whose blur changes over the picture, a hand itself (only its
// shadow), and a camera that moves between frames.
//
// World coordinates are millimetres on the table: X right and Y up as the
// camera sees them, Z towards the camera. A sleeve has its own frame: origin
// at its top-left corner, x right, y down. Pixels are OpenCV's: the centre of
// the top-left pixel is (0, 0).
//
// The package is pure Go: no OpenCV.
package visiontest
