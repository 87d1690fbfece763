// One file, so that all tests share one simulated world and its computed data.
import "./stocks/names.ts"
import "./stocks/histories.ts"
import "./stocks/companies.ts"
import "./stocks/korea.ts"
import "./stocks/macro.ts"
import "./stocks/options.ts"
