import { validateResponses } from "@tapeline/document/validateResponses"
import { openApiDocument } from "./openApiDocument.ts"

validateResponses(openApiDocument)
