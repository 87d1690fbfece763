import { configurationPage, isPublished } from "./configurationPage.ts"

/**
 * If the command line has an argument, prints how to start the server and exits. The server itself takes no arguments.
 */
const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const isHelpRequest = ["--help", "-h", "help"].includes(argument)
  const text = `${isHelpRequest ? "" : "The server takes no arguments.\n\n"}\
Starts the Tapeline server, which runs until SIGTERM or SIGINT. Environment variables configure it:

  HOST, PORT            the address to listen on (127.0.0.1, 8787)
  TAPELINE_DATA_DIR     the folder of the embedded database and the admin token (./data)
  DATABASE_URL          a PostgreSQL server instead of the embedded database
  TAPELINE_PUBLIC_URL   the public URL, if the server is behind a proxy
  OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL   the analyst's language model; default: the offline analyst

All variables: ${configurationPage}
Accounts and keys: ${isPublished ? "npx tapeline --help" : "npm run tapeline -- --help"}
`
  ;(isHelpRequest ? process.stdout : process.stderr).write(text)
  process.exit(isHelpRequest ? 0 : 1)
}
