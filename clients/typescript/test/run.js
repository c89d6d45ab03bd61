// Prints what the scenario observed in the runtime that runs this file.

import { Client } from "../dist/index.js";
import { scenario } from "./scenario.js";

const [base, key] = process.argv.slice(2);
console.log(JSON.stringify(await scenario(Client, base, key)));
