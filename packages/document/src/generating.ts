import openapiTS, { astToString } from "openapi-typescript"
import type { Json } from "./Description.ts"

/** The types of a document by `openapi-typescript`, which prints them with a TypeScript of this package's own. */
export const typesOf = async (document: Json): Promise<string> => astToString(await openapiTS(JSON.stringify(document)))
