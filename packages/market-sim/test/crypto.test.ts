// One file, so that all share one simulated world and what it has computed.
import "./crypto/asReadersDo.ts"
import "./crypto/levels.ts"
import "./crypto/returns.ts"
import "./crypto/wholeMarket.ts"
