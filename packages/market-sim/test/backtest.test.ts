// All tests are in one file, so that they share one simulated world and its computed data.
import "./backtest/results.ts"
import "./backtest/rejections.ts"
