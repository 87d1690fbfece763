// The compute jobs of core, for workers to load. This file imports no tools.
import { type EncodedJob, encodedJob } from "../engine/compute/job.ts"
import { backtestJob } from "./backtest/backtestJob.ts"
import { compareJob } from "./backtest/compareJob.ts"
import { monteCarloJob } from "./backtest/monteCarloJob.ts"
import { foldJob } from "./backtest/walkForward.ts"
import { tonesJob } from "./news/articleTones.ts"
import { optionFlowJob } from "./options/optionFlowJob.ts"
import { fitSurfaceJob } from "./options/surfaceJob.ts"
import { regimeDaysJob } from "./signals/regimeDays.ts"
import { scoreDaysJob } from "./signals/scoreDays.ts"
import { authenticityJob } from "./social/authenticity.ts"

export { type EncodedJob, encodedJob } from "../engine/compute/job.ts"

/** The compute jobs of core that a worker can run. */
export const jobs: ReadonlyArray<EncodedJob> = [
  encodedJob(regimeDaysJob),
  encodedJob(scoreDaysJob),
  encodedJob(fitSurfaceJob),
  encodedJob(optionFlowJob),
  encodedJob(authenticityJob),
  encodedJob(backtestJob),
  encodedJob(compareJob),
  encodedJob(foldJob),
  encodedJob(monteCarloJob),
  encodedJob(tonesJob)
]
