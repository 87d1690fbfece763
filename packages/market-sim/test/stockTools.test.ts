// One file, so that all share one simulated world and what it has computed.
import "./stocks/names.ts"
import "./stocks/histories.ts"
import "./stocks/companies.ts"
import "./stocks/korea.ts"
import "./stocks/macro.ts"
import "./stocks/options.ts"
