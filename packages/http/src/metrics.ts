import { problemCodes } from "@tapeline/api"
import { type Context, Effect, Metric } from "effect"

const rejectionCounters: ReadonlyMap<string, Metric.Counter<number>> = new Map(problemCodes.map((code) => [
  code,
  Metric.counter("tapeline_http_rejections", {
    description: "Rejected requests, by the code of their problem",
    incremental: true,
    attributes: { code }
  })
]))

/** Counts a rejected request by the code of its problem details. */
export const countRejection = (code: string, context: Context.Context<never>): void =>
  rejectionCounters.get(code)?.updateUnsafe(1, context)

/** Requests with a wrong admin token. */
export const failedAdminAttempts = Metric.counter("tapeline_admin_failed_attempts", {
  description: "Requests of the admin API and the metrics with a wrong admin token",
  incremental: true
})

/** The value of the route label for requests that match no route. */
export const unmatchedRoute = "none"

const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

const makeStatusCounters = (route: string): ReadonlyArray<Metric.Counter<number>> =>
  statusClasses.map((status_class) =>
    Metric.counter("tapeline_http_responses", {
      description: "HTTP responses, by route and class of status",
      incremental: true,
      attributes: { route, status_class }
    })
  )

/** Counts a response by route. `route` must be `unmatchedRoute` or one of the routes of `makeResponseCounter`. */
export type CountResponse = (route: string, status: number, context: Context.Context<never>) => void

/**
 * Creates the response counters of routes. The counters of 2xx, 4xx and 5xx responses begin with the value 0, so that
 * the first failure is visible as an increase.
 */
export const makeResponseCounter = (routes: Iterable<string>): Effect.Effect<CountResponse> =>
  Effect.suspend(() => {
    const counters = new Map([...routes, unmatchedRoute].map((route) => [route, makeStatusCounters(route)]))
    const exportedCounters = [...counters.values()].flatMap((
      [, success, , rejected, failed]
    ) => [success!, rejected!, failed!])
    return Effect.as(
      Effect.forEach([...exportedCounters, ...rejectionCounters.values()], (metric) => Metric.value(metric), {
        discard: true
      }),
      (route: string, status: number, context: Context.Context<never>) =>
        counters.get(route)?.[Math.floor(status / 100) - 1]?.updateUnsafe(1, context)
    )
  })
