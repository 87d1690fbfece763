// All tests are in one file, so that they share one simulated world and its computed data.
import "./stocks/names.ts"
import "./stocks/histories.ts"
import "./stocks/companies.ts"
import "./stocks/korea.ts"
import "./stocks/macro.ts"
import "./stocks/options.ts"
