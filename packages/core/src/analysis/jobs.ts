// The jobs of this engine by name, for workers to load. Imports no tools.
import { named, type NamedJob } from "../engine/compute/job.ts"
import { backtestJob } from "./backtest/backtestJob.ts"
import { compareJob } from "./backtest/compareJob.ts"
import { foldJob } from "./backtest/foldJob.ts"
import { monteCarloJob } from "./backtest/monteCarloJob.ts"
import { tonesJob } from "./news/tones.ts"
import { optionFlowJob } from "./options/flowJob.ts"
import { fitSurfaceJob } from "./options/surfaceJob.ts"
import { regimeDaysJob } from "./signals/regimeDays.ts"
import { scoreDaysJob } from "./signals/scoreDays.ts"
import { authenticityJob } from "./social/authenticity.ts"

export { named, type NamedJob } from "../engine/compute/job.ts"

/** All jobs of core that a worker can run. */
export const jobs: ReadonlyArray<NamedJob> = [
  named(regimeDaysJob),
  named(scoreDaysJob),
  named(fitSurfaceJob),
  named(optionFlowJob),
  named(authenticityJob),
  named(backtestJob),
  named(compareJob),
  named(foldJob),
  named(monteCarloJob),
  named(tonesJob)
]
