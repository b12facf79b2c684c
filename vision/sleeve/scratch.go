package sleeve

import "sync"

// scratch lends planes of float32 to hot loops: fresh megabytes for every
// intermediate cost more in page faults than the arithmetic on them. Lent
// planes hold whatever was in them. A nil scratch lends fresh memory.
type scratch = lender[float32]

// lender lends memory of one kind.
type lender[T any] struct {
	mu   sync.Mutex
	free map[int][][]T
}

func (s *lender[T]) get(n int) []T {
	if s == nil {
		return make([]T, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.free[n]; len(list) > 0 {
		p := list[len(list)-1]
		s.free[n] = list[:len(list)-1]
		return p
	}
	return make([]T, n)
}

// zero is get with every element zero.
func (s *lender[T]) zero(n int) []T {
	p := s.get(n)
	clear(p)
	return p
}

// put takes planes back; the caller must not touch them afterwards.
func (s *lender[T]) put(planes ...[]T) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == nil {
		s.free = make(map[int][][]T)
	}
	for _, p := range planes {
		if p != nil {
			s.free[len(p)] = append(s.free[len(p)], p)
		}
	}
}
