// One file, so that all tests share one simulated world and its computed data.
import "./social/tools.ts"
import "./token/tools.ts"
import "./news/tools.ts"
