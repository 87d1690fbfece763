// All tests are in one file, so that they share one simulated world and its computed data.
import "./derivatives/calibration.ts"
import "./derivatives/gaps.ts"
import "./derivatives/liquidations.ts"
import "./derivatives/perpetual.ts"
import "./derivatives/venues.ts"
