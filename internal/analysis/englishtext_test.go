package analysis

import (
	"bufio"
	"os"
	"strings"
)

// englishText is about 100 KB of prose: sentences of a small vocabulary in
// changing order, with capitals, numbers and punctuation.
func englishText() string {
	if name := os.Getenv("ANALYSIS_TEXT"); name != "" {
		file, err := os.Open(name)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		var text strings.Builder
		for lines := bufio.NewScanner(file); lines.Scan() && text.Len() < 4<<20; {
			text.WriteString(lines.Text())
			text.WriteByte('\n')
		}
		return text.String()
	}
	sentences := []string{
		"The aerodynamic properties of slender wings at supersonic speeds were investigated experimentally in 1958. ",
		"Libraries are collections of information resources; their organization, retrieval and dissemination matter. ",
		"It's a lightweight tool for downloading, installing and removing packages on small embedded systems. ",
		"Mr. Carson's running shoes weren't cheap: they cost 129.95 dollars, about twice the usual price! ",
		"When several documents match equally well, the shorter one is generally considered more relevant. ",
	}
	var text strings.Builder
	for i := 0; text.Len() < 100_000; i++ {
		text.WriteString(sentences[i*i%len(sentences)])
		text.WriteString(sentences[i%len(sentences)])
	}
	return text.String()
}
