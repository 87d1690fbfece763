/**
 * The JavaScript code that QuickJS runs before each script to create the script's globals. The code copies the built-in
 * functions that it uses, because scripts can replace built-in functions. The code returns the functions that convert
 * the script's result and its errors to text.
 */
export const prelude = String.raw`(function (log, ask, names, inputs, mostLog, mostValue) {
  "use strict"
  const { parse, stringify } = JSON
  const { defineProperty } = Object
  const isView = ArrayBuffer.isView
  const listOf = Array.from
  const text = String
  const cut = Function.prototype.call.bind(String.prototype.slice)
  const Failure = Error
  const origins = new WeakMap()
  const originOf = WeakMap.prototype.get.bind(origins)
  const remember = WeakMap.prototype.set.bind(origins)
  const publish = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })

  const listed = (value) => isView(value) && !(value instanceof DataView) ? listOf(value) : value
  const forLog = (key, value) =>
    typeof value === "bigint" || typeof value === "symbol" || typeof value === "function" || value === undefined
      ? text(value)
      : typeof value === "number" && !(value - value === 0)
      ? text(value)
      : listed(value)
  const shown = (value) => {
    try {
      if (typeof value === "string") return value
      if (value instanceof Failure) return value.name + ": " + value.message
      return text(typeof value === "object" && value !== null ? stringify(value, forLog) : value)
    } catch {
      return "[" + typeof value + "]"
    }
  }
  const print = (...values) => {
    let line = ""
    for (let i = 0; i < values.length; i++) {
      const part = shown(values[i])
      // Nothing longer than a whole log crosses.
      if (part.length + line.length > mostLog) return log(stringify(""), true)
      line += (i === 0 ? "" : " ") + part
    }
    // As JSON, because a text ends at its first NUL when it crosses.
    log(stringify(line), false)
  }
  publish("console", { log: print, info: print, warn: print, error: print, debug: print })
  publish("inputs", parse(inputs))
  for (const name of names) {
    publish(name, async (...values) => {
      const reply = parse(await ask(name, stringify(values)))
      if (reply.error === undefined) return reply.value
      const error = new Failure(reply.error.message)
      if (reply.error.code !== undefined) error.code = reply.error.code
      remember(error, reply.error.id)
      throw error
    })
  }

  const forValue = (key, value) => {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new TypeError("it holds a " + typeof value + (key === "" ? "" : " at " + key))
    }
    return listed(value)
  }
  const short = (whole, most) => whole.length > most ? text(cut(whole, 0, most)) + "..." : whole
  return {
    // A text whose first letter says what it is: v JSON of the value, r why it has none, l that it is too long.
    finish: async (promise, wrapped) => {
      const given = await promise
      const value = await (wrapped ? given.value : given)
      let written
      try {
        written = stringify(value === undefined ? null : value, forValue)
      } catch (error) {
        if (error instanceof InternalError) throw error
        return "r" + short(shown(error), 300)
      }
      if (written === undefined) return "rits toJSON gave nothing"
      return written.length > mostValue ? "l" : "v" + written
    },
    // The call that it comes from, its stack, and what it says, with a control character between them.
    describe: (error) => {
      let asked, stack
      try {
        asked = originOf(error)
        stack = error instanceof Failure ? error.stack : undefined
      } catch {}
      return (asked === undefined ? "" : asked) + "\u0001" + (typeof stack === "string" ? short(stack, 2000) : "") +
        "\u0001" + short(shown(error), 500)
    }
  }
})`
