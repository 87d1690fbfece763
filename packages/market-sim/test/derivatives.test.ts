// One file, so that all tests share one simulated world and its computed data.
import "./derivatives/calibration.ts"
import "./derivatives/gaps.ts"
import "./derivatives/liquidations.ts"
import "./derivatives/perpetual.ts"
import "./derivatives/venues.ts"
