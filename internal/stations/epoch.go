package stations

// Years are the first and the last year of a tidal datum epoch: 1983 to 2001 of the
// National Tidal Datum Epoch, five years of a modified one. Both are 0 if NOAA publishes
// no epoch.
type Years struct{ First, Last int }

// Epoch returns the epoch of the station's own datums in force.
func (s Station) Epoch() Years {
	if u := s.update(); u.has(PartLevels) {
		return Years{u.FirstEpoch, u.LastEpoch}
	}
	return s.EmbeddedEpoch()
}

// EmbeddedEpoch returns the epoch of the station's embedded datums, even if others are in
// force.
func (s Station) EmbeddedEpoch() Years {
	if !s.is(tideReference) {
		return Years{}
	}
	return s.file().years(int(s.slot().class))
}

// years returns the epoch of a tide reference station by its number among them.
func (f *file) years(n int) Years { return Years{f.epoch.uint16(2 * n), f.epoch.uint16(2*n + 1)} }

// epochs counts the tide reference stations by the epoch of their datums.
func (f *file) epochs() map[Years]int {
	counts := map[Years]int{}
	for row := range f.ids {
		if f.class(row) == tideReference {
			counts[f.years(int(f.slots[row].class))]++
		}
	}
	return counts
}

// Revised returns the newest epoch that the service has published for a station whose
// embedded datums have another one. ok is false as long as there is no such station: then
// the embedded datums of the others are not known to be superseded either.
func (d *Directory) Revised() (epoch Years, ok bool) {
	if at := d.revised.Load(); at != nil {
		return *at, true
	}
	return Years{}, false
}

// noteEpoch records which stations have an epoch that differs from the embedded one.
func (d *Directory) noteEpoch(s Station, u Update) {
	was, is := s.EmbeddedEpoch(), Years{u.FirstEpoch, u.LastEpoch}
	if u.Datums == nil || was == (Years{}) {
		return
	}
	if is == was || is == (Years{}) {
		delete(d.moved, s.ID)
	} else {
		d.moved[s.ID] = is
	}
	var newest *Years
	for _, epoch := range d.moved {
		if newest == nil || epoch.Last > newest.Last {
			newest = &epoch
		}
	}
	d.revised.Store(newest)
}
