not a list of full forms
