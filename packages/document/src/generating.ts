import openapiTS, { astToString } from "openapi-typescript"
import type { Json } from "./OpenApiDocument.ts"

/**
 * Generates TypeScript types for a document with `openapi-typescript`, which prints with this package's TypeScript
 * version.
 */
export const generateTypes = async (document: Json): Promise<string> =>
  astToString(await openapiTS(JSON.stringify(document)))
