package document

// ParseTimestamp parses an ISO 8601 date-time with an offset and returns its
// instant in milliseconds since 1970. Seconds are optional; digits below a
// millisecond are dropped.
func ParseTimestamp(text string) (milliseconds int64, ok bool) {
	p := timestampParser{text: text, ok: true}
	year := p.digits(4)
	p.skip('-')
	month := p.digits(2)
	p.skip('-')
	day := p.digits(2)
	p.skip('T')
	hour := p.digits(2)
	p.skip(':')
	minute := p.digits(2)
	second, fraction := 0, 0
	if p.take(':') {
		second = p.digits(2)
		if p.take('.') || p.take(',') {
			fraction = p.fraction()
		}
	}
	offset := p.offset()
	if !p.ok || p.next != len(text) || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	seconds := int64(daysSince1970(year, month, day))*86400 + int64(hour)*3600 + int64(minute)*60 + int64(second)
	return (seconds-int64(offset)*60)*1000 + int64(fraction), true
}

type timestampParser struct {
	text string
	next int
	ok   bool
}

func (p *timestampParser) digits(count int) int {
	n := 0
	for range count {
		if p.next >= len(p.text) || p.text[p.next] < '0' || p.text[p.next] > '9' {
			p.ok = false
			return 0
		}
		n = n*10 + int(p.text[p.next]-'0')
		p.next++
	}
	return n
}

func (p *timestampParser) take(c byte) bool {
	if p.next < len(p.text) && p.text[p.next] == c {
		p.next++
		return true
	}
	return false
}

func (p *timestampParser) skip(c byte) {
	if !p.take(c) {
		p.ok = false
	}
}

// fraction reads one or more fractional digits of a second as milliseconds.
func (p *timestampParser) fraction() int {
	n, count := 0, 0
	for p.next < len(p.text) && p.text[p.next] >= '0' && p.text[p.next] <= '9' {
		if count < 3 {
			n = n*10 + int(p.text[p.next]-'0')
		}
		count++
		p.next++
	}
	if count == 0 {
		p.ok = false
	}
	for ; count < 3; count++ {
		n *= 10
	}
	return n
}

// offset reads Z, ±hh, ±hhmm or ±hh:mm as minutes east of Greenwich.
func (p *timestampParser) offset() int {
	if p.take('Z') {
		return 0
	}
	sign := 1
	if p.take('-') {
		sign = -1
	} else if !p.take('+') {
		p.ok = false
		return 0
	}
	hours := p.digits(2)
	minutes := 0
	if p.take(':') || p.next < len(p.text) {
		minutes = p.digits(2)
	}
	if hours > 23 || minutes > 59 {
		p.ok = false
	}
	return sign * (hours*60 + minutes)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 returns the day number in the proleptic Gregorian calendar. It lets
// years begin in March, so that the leap day comes last.
func daysSince1970(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + floorDiv(year, 4) - floorDiv(year, 100) + floorDiv(year, 400) + (153*(month-3)+2)/5 + day - 1 - 719468
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
