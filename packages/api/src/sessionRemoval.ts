import type { Json } from "./example.ts"

/** The schema names of the errors that only a request with a session can cause. */
const sessionProblems = ["CrossSiteProblem", "OtherAccountProblem", "SessionRequiredProblem"]

const isSessionProblem = ({ $ref }: Json): boolean => sessionProblems.some((name) => String($ref).endsWith(`/${name}`))

export const hasSignIn = (document: Json): boolean => "/v1/account/sign-in" in document["paths"]

/**
 * Removes the errors that only sessions can cause from a documented response. Returns undefined if only sessions can
 * cause the response's errors.
 */
const removeSessionProblems = (response: Json): Json | undefined => {
  const media = Object.entries<Json>(response["content"] ?? {}).flatMap(([type, { schema, ...rest }]) => {
    const members: ReadonlyArray<Json> = schema["anyOf"] ?? [schema]
    const remaining = members.filter((member) => !isSessionProblem(member))
    if (remaining.length === members.length) return [[type, { ...rest, schema }] as const]
    return remaining.length === 0
      ? []
      : [[type, { ...rest, schema: remaining.length === 1 ? remaining[0] : { anyOf: remaining } }] as const]
  })
  if (response["content"] === undefined) return response
  return media.length === 0 ? undefined : { ...response, content: Object.fromEntries(media) }
}

const removeSessionsOfOperation = (operation: Json): Json => ({
  ...operation,
  security: (operation["security"] ?? []).filter((requirement: Json) => !("session" in requirement)),
  responses: Object.fromEntries(
    Object.entries<Json>(operation["responses"]).flatMap(([status, response]) => {
      const remaining = removeSessionProblems(response)
      return remaining === undefined ? [] : [[status, remaining]]
    })
  )
})

/** Removes session errors and session credentials from the OpenAPI document of a service without sign-in. */
export const removeSessions = (document: Json): Json => {
  const { schemas, securitySchemes } = document["components"]
  const isRemaining = ([name]: readonly [string, unknown]) => name !== "session" && !sessionProblems.includes(name)
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries<Json>(document["paths"]).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries<Json>(item).map(([method, one]) => [method, removeSessionsOfOperation(one)]))
      ])
    ),
    components: {
      ...document["components"],
      schemas: Object.fromEntries(Object.entries(schemas).filter(isRemaining)),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(isRemaining))
    }
  }
}
