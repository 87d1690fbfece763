// All tests are in one file, so that they share one simulated world and its computed data.
import "./social/tools.ts"
import "./token/tools.ts"
import "./news/tools.ts"
