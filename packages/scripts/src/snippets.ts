// Writes the TypeScript of the documents into a separate project, for `npm run check:types`.
import { writeProject } from "./snippets/compiled.ts"

writeProject()
