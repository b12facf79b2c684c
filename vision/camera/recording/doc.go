// Package recording keeps a pass as it was seen, frame by frame, so that an
// inspection can be done again bit for bit (format recording/v1,
// docs/formats/recording.md).
//
//	frames ──Writer.Frame──▶ ┌ recording.json ───────── what, when, how
//	events ──Writer.Event──▶ │ frames-000001.fdr ┐
//	        ──Writer.Sync──▶ │ frames-000002.fdr ├ records, one after the other:
//	                         └ ...               ┘ frame, event, end
//
//	folder ──Open──▶ Reader.Read:  frames and events in their order
//	       ──Source─▶ camera.Source: the frames alone, at any pace
//
// What is on stable storage. Frame and Event hand their bytes to the
// operating system: they survive the end of the process, however sudden. Sync
// returns when everything written before it is on the disk: that survives a
// power cut, too. A sighting is told to a person only after a Sync.
//
// Whole or not there. Each record carries its length and two checksums. A
// recording that was cut off is read up to its last whole record; damage in
// the middle costs the damaged records, which are counted, not the rest.
//
// Pictures are kept as they were delivered (JPEG, PNG), never encoded again.
// Where a source delivers pixels alone, [Encode] turns them into JPEG and
// gives back what that JPEG decodes to, so that whoever looks at the frame
// now sees what a reader of the recording will see.
package recording
