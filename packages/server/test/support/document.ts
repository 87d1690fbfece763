import { documented, type Json, makeApi } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { OpenApi } from "effect/http-api"

let made: Json | undefined

/** The document of the service as it is, made once for all tests of a process. */
export const document = (): Json => made ??= OpenApi.fromApi(documented(makeApi(specifications)))
