// One file, so that all tests share one simulated world and its computed data.
import "./crypto/indicators.ts"
import "./crypto/levels.ts"
import "./crypto/returns.ts"
import "./crypto/wholeMarket.ts"
