import openapiTS, { astToString } from "openapi-typescript"
import type { Json } from "./OpenApiDocument.ts"

/** Generates TypeScript types for an OpenAPI document with `openapi-typescript`. */
export const generateTypes = async (document: Json): Promise<string> =>
  astToString(await openapiTS(JSON.stringify(document)))
