// One file, so that all tests share one simulated world and its computed data.
import "./backtest/redone.ts"
import "./backtest/refused.ts"
