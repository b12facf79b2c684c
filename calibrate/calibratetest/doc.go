// Package calibratetest is a virtual camera over flat things: boards, white
// sheets, colour charts, with every number of the lens known.
//
//	Scene (albedo at mm) ──Pose──▶ rays ──Lens──▶ light per pixel ──▶ blur
//	   ──▶ vignetting, lamp, flicker by row ──▶ noise ──▶ tone curve ──▶ frame.Image
//
// Where vision/visiontest renders decks on a table as a judge photographs
// them, this package renders what calibration looks at, in any pose and with
// all five coefficients of distortion. Equal arguments give equal pictures.
// It is pure Go.
package calibratetest
