// Package calibrate teaches a station about itself and keeps what it learned
// in its profile.
//
//	chessboard in many poses ──LensCalibration────▶ lens, its uncertainty ─┐
//	board or card on table ────PlaneCalibration───▶ mm scale, tilt, blur   │
//	white sheet ───────────────FlatCalibration────▶ flat field, noise      ├─▶ Profile ──▶ profile.json
//	white sheet, colour chart ─ColourCalibration──▶ white balance, matrix  │   (profile/v1)
//	cards in place ────────────FindZones──────────▶ zones                  ─┘
//
//	board or sheet, later ─────StationCheck───────▶ green, amber or red, and why
//
// Each calibration is fed one frame at a time by Add, which answers at once
// whether the frame is of use and what to show next, so that a live camera and
// a folder of pictures drive the same code; Solve or Result then gives the part
// of the profile and its evidence. A frame that is no use is a *[Rejected] with
// its reason, never a silent loss.
//
// A profile is read at every inspection; without one, the lens is taken as
// free of distortion and the scale comes from the nominal size of the card.
package calibrate
