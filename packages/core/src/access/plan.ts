import { Context, Effect, Layer, Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a plan allots. A month is a calendar month and a day a calendar day, both in UTC. */
export const Plan = Schema.Struct({
  monthly_credits: Count,
  keys: Count,
  requests_per_minute: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  answers_per_day: Count
})
export type Plan = typeof Plan.Type

/** Plans by name. */
export type PlanTable = Readonly<Record<string, Plan>>

/** The plans of the specification's section 8, with the answers a day of this service. */
export const defaultPlans: PlanTable = {
  free: { monthly_credits: 2_000, keys: 1, requests_per_minute: 10, answers_per_day: 10 },
  lite: { monthly_credits: 10_000, keys: 2, requests_per_minute: 30, answers_per_day: 50 },
  pro: { monthly_credits: 60_000, keys: 5, requests_per_minute: 60, answers_per_day: 200 },
  premium: { monthly_credits: 200_000, keys: 10, requests_per_minute: 120, answers_per_day: 1_000 }
}

/** Plans whose monthly credits exceed `monthlyCredits`, cheapest first: the upgrades that a refused caller has. */
export const plansAbove = (
  plans: PlanTable,
  monthlyCredits: number
): ReadonlyArray<{ readonly plan: string; readonly monthly_credits: number }> =>
  Object.entries(plans)
    .filter(([, plan]) => plan.monthly_credits > monthlyCredits)
    .map(([plan, { monthly_credits }]) => ({ plan, monthly_credits }))
    .sort((a, b) => a.monthly_credits - b.monthly_credits)

/** The name is not that of a configured plan. `known` lists those that are. */
export class UnknownPlan extends Schema.TaggedError<UnknownPlan>()("UnknownPlan", {
  plan: Schema.String,
  known: Schema.Array(Schema.String)
}) {}

/** The plans in force in this process. */
export class Plans extends Context.Service<Plans, {
  readonly table: PlanTable
  /** The plan of that name; fails with `UnknownPlan`. */
  readonly get: (name: string) => Effect.Effect<Plan, UnknownPlan>
}>()("@tapeline/core/access/Plans") {
  /** Plans from `table`, normally `defaultPlans` with a configuration's own laid over them. */
  static readonly layer = (table: PlanTable): Layer.Layer<Plans> =>
    Layer.succeed(Plans, {
      table,
      get: (name) => {
        const plan = Object.hasOwn(table, name) ? table[name] : undefined
        return plan === undefined
          ? Effect.fail(new UnknownPlan({ plan: name, known: Object.keys(table) }))
          : Effect.succeed(plan)
      }
    })
}
