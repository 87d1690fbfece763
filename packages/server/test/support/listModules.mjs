// Records every module that a server loads, also in threads. Node loads this module before the server's own program.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LISTED_MODULES, `${url}\n`)
    return next(url, context)
  }
})
