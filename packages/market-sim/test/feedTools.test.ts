// One file, so that all share one simulated world and what it has computed.
import "./social/tools.ts"
import "./token/tools.ts"
import "./news/tools.ts"
