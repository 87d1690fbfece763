// One file, so that all share one simulated world and what it has computed.
import "./backtest/redone.ts"
import "./backtest/refused.ts"
