// One file, so that all tests share one simulated world and its computed data.
import "./backtest/results.ts"
import "./backtest/rejections.ts"
