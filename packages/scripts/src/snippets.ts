// Writes the TypeScript of the documents into a separate project, for `npm run check:types`.
import { writeSnippetProject } from "./snippets/snippetProject.ts"

writeSnippetProject()
