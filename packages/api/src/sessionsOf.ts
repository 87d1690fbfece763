import type { Json } from "./example.ts"

/** The errors of callers' operations that only sessions can cause, by the names of their schemas. */
const ofSessions = ["CrossSiteProblem", "OtherAccountProblem", "SessionRequiredProblem"]

const isOfSessions = ({ $ref }: Json): boolean => ofSessions.some((name) => String($ref).endsWith(`/${name}`))

/** Whether the document's service has a sign-in. */
export const opensSessions = (document: Json): boolean => "/v1/account/sign-in" in document["paths"]

/** Removes the errors of sessions from a response. Returns undefined if nothing remains. */
const responseWithout = (response: Json): Json | undefined => {
  const media = Object.entries<Json>(response["content"] ?? {}).flatMap(([type, { schema, ...rest }]) => {
    const members: ReadonlyArray<Json> = schema["anyOf"] ?? [schema]
    const left = members.filter((member) => !isOfSessions(member))
    if (left.length === members.length) return [[type, { ...rest, schema }] as const]
    return left.length === 0
      ? []
      : [[type, { ...rest, schema: left.length === 1 ? left[0] : { anyOf: left } }] as const]
  })
  if (response["content"] === undefined) return response
  return media.length === 0 ? undefined : { ...response, content: Object.fromEntries(media) }
}

const operationWithout = (operation: Json): Json => ({
  ...operation,
  security: (operation["security"] ?? []).filter((requirement: Json) => !("session" in requirement)),
  responses: Object.fromEntries(
    Object.entries<Json>(operation["responses"]).flatMap(([status, response]) => {
      const left = responseWithout(response)
      return left === undefined ? [] : [[status, left]]
    })
  )
})

/** Removes sessions from the document of a service without a sign-in. */
export const withoutSessions = (document: Json): Json => {
  const { schemas, securitySchemes } = document["components"]
  const isLeft = ([name]: readonly [string, unknown]) => name !== "session" && !ofSessions.includes(name)
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries<Json>(document["paths"]).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries<Json>(item).map(([method, one]) => [method, operationWithout(one)]))
      ])
    ),
    components: {
      ...document["components"],
      schemas: Object.fromEntries(Object.entries(schemas).filter(isLeft)),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(isLeft))
    }
  }
}
