// Writes the TypeScript of the documents into a project of its own, for `npm run check:types`.
import { writeProject } from "./snippets/compiled.ts"

writeProject()
