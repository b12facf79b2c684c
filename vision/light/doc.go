// Package light watches the station's light and sharpness while it works, and
// says in words what is wrong and what to do.
//
//	frames in order ──Meter.Add──▶ Reading of each frame:
//	                                 highlights: share blown, where
//	                                 glare: the region of a mirrored lamp
//	                                 focus: blur of the sharpest edges, px
//	                                 motion: direction and length of a smear, px
//	                 ──Meter.Report──▶ over the last frames:
//	                                 flicker: bands of mains light, 50 or 60 Hz
//	                                 steadiness of the light
//	                                 Problems, gravest first, each with a remedy
//
// A frame is read at half or a quarter of its pixels, along rows; a Meter keeps
// row means, never pictures, and costs about 6 ms of one processor for each frame of
// 1920 x 1080. Nothing here imports OpenCV.
//
// What cannot be told is left out rather than guessed. Bands that stand still
// (an exposure started in step with the mains) look like the scene itself;
// a card with edges in two directions only does not say along which of several
// ways it moved.
package light
