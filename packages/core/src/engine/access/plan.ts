import { Context, Effect, Layer, Schema } from "effect"
import { formatMessage } from "../messages/language.ts"

const maxInt32 = 2_147_483_647
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxInt32 }))

/**
 * The limits of a plan. Monthly limits use UTC months, and daily limits use UTC days. Every limit is a number that all
 * stores can store. A number that a store cannot store would make a whole batch of requests fail.
 */
export const Plan = Schema.Struct({
  monthly_credits: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  keys: Count,
  requests_per_minute: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxInt32 })),
  answers_per_day: Count
})
export type Plan = typeof Plan.Type

/** The plans of the service, by name. */
export type PlanTable = Readonly<Record<string, Plan>>

/** The plans of an engine without configured plans. */
export const defaultPlans: PlanTable = {
  // Section 8 of the product specification defines these plans, except the daily limits of answers.
  free: { monthly_credits: 2_000, keys: 1, requests_per_minute: 10, answers_per_day: 10 },
  lite: { monthly_credits: 10_000, keys: 2, requests_per_minute: 30, answers_per_day: 50 },
  pro: { monthly_credits: 60_000, keys: 5, requests_per_minute: 60, answers_per_day: 200 },
  premium: { monthly_credits: 200_000, keys: 10, requests_per_minute: 120, answers_per_day: 1_000 }
}

/** Returns the plans with more monthly credits than `monthlyCredits`, fewest credits first. */
export const plansWithMoreCredits = (
  plans: PlanTable,
  monthlyCredits: number
): ReadonlyArray<{ readonly plan: string; readonly monthly_credits: number }> =>
  Object.entries(plans)
    .filter(([, plan]) => plan.monthly_credits > monthlyCredits)
    .map(([plan, { monthly_credits }]) => ({ plan, monthly_credits }))
    .sort((a, b) => a.monthly_credits - b.monthly_credits)

/** Returns the plans that allow more than `limit` live keys, lowest limit first. */
export const plansWithMoreKeys = (
  plans: PlanTable,
  limit: number
): ReadonlyArray<{ readonly plan: string; readonly keys: number }> =>
  Object.entries(plans)
    .filter(([, plan]) => plan.keys > limit)
    .map(([plan, { keys }]) => ({ plan, keys }))
    .sort((a, b) => a.keys - b.keys)

/** The error for a plan name that is not among the configured plans `known`. */
export class UnknownPlan extends Schema.TaggedError<UnknownPlan>()("UnknownPlan", {
  plan: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return formatMessage({ key: "unknown_plan", params: { plan: this.plan, known: this.known.join(", ") } }, "en")
  }
}

/**
 * The error for an account on a plan that this process does not know, for example during the rollout of a
 * configuration. Another process with a newer configuration may know the plan.
 */
export class PlanNotConfigured extends Schema.TaggedError<PlanNotConfigured>()("PlanNotConfigured", {
  plan: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "plan_not_configured", params: { plan: this.plan } }, "en")
  }
}

const decodeTable = Schema.decodeUnknownSync(Schema.Record(Schema.String, Plan), {
  errors: "all",
  onExcessProperty: "error"
})

/** The plans that are configured in this process. */
export class Plans extends Context.Service<Plans, {
  readonly table: PlanTable
  readonly get: (name: string) => Effect.Effect<Plan, UnknownPlan>
  readonly forAccount: (account: { readonly plan: string }) => Effect.Effect<Plan, PlanNotConfigured>
}>()("@tapeline/core/access/Plans") {
  /** Provides the plans of `table`, or dies with a defect if a limit is out of bounds. */
  static readonly layer = (table: PlanTable): Layer.Layer<Plans> =>
    Layer.sync(Plans, () => {
      const checked = decodeTable(table)
      const find = (name: string): Plan | undefined => Object.hasOwn(checked, name) ? checked[name] : undefined
      return {
        table: checked,
        get: (name) => {
          const plan = find(name)
          return plan === undefined
            ? Effect.fail(new UnknownPlan({ plan: name, known: Object.keys(checked) }))
            : Effect.succeed(plan)
        },
        forAccount: ({ plan: name }) => {
          const plan = find(name)
          return plan === undefined ? Effect.fail(new PlanNotConfigured({ plan: name })) : Effect.succeed(plan)
        }
      }
    })
}
