import { Layer } from "effect"
import { Administration } from "./access/Administration.ts"
import type { AdminStore } from "./access/AdminStore.ts"
import { AdminTokens } from "./access/AdminTokens.ts"
import { Authenticator } from "./access/Authenticator.ts"
import { type EventUpkeepOptions, layerEventUpkeep } from "./access/eventUpkeep.ts"
import type { KeyStore } from "./access/KeyStore.ts"
import { defaultPlans, Plans, type PlanTable } from "./access/plan.ts"
import type { RateLimitStore } from "./access/RateLimitStore.ts"
import { RequestRateLimiter } from "./access/RequestRateLimiter.ts"
import { layerUnconfiguredPlanWarning } from "./access/unconfiguredPlanWarning.ts"
import { ToolCaller } from "./call/ToolCaller.ts"
import { Ledger, type LedgerOptions, type SweeperOptions } from "./credits/Ledger.ts"
import type { LedgerStore } from "./credits/LedgerStore.ts"
import { layerPlanCredits } from "./credits/planCredits.ts"
import type { StoreUnavailable } from "./store/errors.ts"
import type { Toolbox } from "./tool/Toolbox.ts"

/** The services that an engine provides. */
export type EngineServices =
  | Administration
  | AdminTokens
  | Authenticator
  | Ledger
  | Plans
  | RequestRateLimiter
  | ToolCaller
  | Toolbox

export interface EngineOptions<R> {
  /** The tools of the engine, created with `Toolbox.layer(tools)`. An embedding program can add its own tools. */
  readonly toolbox: Layer.Layer<Toolbox, never, R>
  /** The plans of the engine; `defaultPlans` if omitted. */
  readonly plans?: PlanTable
  readonly ledger?: LedgerOptions
  readonly sweeper?: SweeperOptions
  readonly events?: EventUpkeepOptions
}

/**
 * Builds a complete engine over the given stores and the ports of the tools. At startup, the engine defines the plans'
 * monthly credits in the store and logs accounts on unknown plans. The engine also expires lapsed reservations and
 * records events. Several engines can share the stores. The engine uses the fiber's clock, so a test clock controls the
 * time.
 */
export const layerEngine = <R>(
  options: EngineOptions<R>
): Layer.Layer<EngineServices, StoreUnavailable, R | AdminStore | KeyStore | LedgerStore | RateLimitStore> =>
  Layer.mergeAll(
    Administration.layer,
    AdminTokens.layer,
    RequestRateLimiter.layer,
    ToolCaller.layer,
    Ledger.layerSweeper(options.sweeper),
    layerEventUpkeep(options.events),
    layerPlanCredits,
    layerUnconfiguredPlanWarning
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Authenticator.layer,
        options.toolbox,
        options.ledger === undefined ? Ledger.layer : Ledger.layerWith(options.ledger)
      )
    ),
    Layer.provideMerge(Plans.layer(options.plans ?? defaultPlans))
  )
