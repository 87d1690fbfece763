import { type Json, makeApi, withOpenApiDocument } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { OpenApi } from "effect/http-api"

let cached: Json | undefined

/** Returns the OpenAPI document of the service, which is created once per test process. */
export const openApiDocument = (): Json => cached ??= OpenApi.fromApi(withOpenApiDocument(makeApi(specifications)))
