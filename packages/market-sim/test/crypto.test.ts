// All tests are in one file, so that they share one simulated world and its computed data.
import "./crypto/indicators.ts"
import "./crypto/levels.ts"
import "./crypto/returns.ts"
import "./crypto/wholeMarket.ts"
