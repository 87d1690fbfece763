import { documented, type Json, makeApi } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { OpenApi } from "effect/http-api"

let made: Json | undefined

/** The OpenAPI document of the service, created once per test process. */
export const document = (): Json => made ??= OpenApi.fromApi(documented(makeApi(specifications)))
