// One file, so that all share one simulated world and what it has computed.
import "./derivatives/calibration.ts"
import "./derivatives/holes.ts"
import "./derivatives/liquidations.ts"
import "./derivatives/perpetual.ts"
import "./derivatives/venues.ts"
