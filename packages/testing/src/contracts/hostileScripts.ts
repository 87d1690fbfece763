import type { ScriptFault } from "@tapeline/core/analysis"

export interface FaultyScript {
  readonly code: string
  readonly fault: ScriptFault["_tag"]
  /** A text that the error message must contain. */
  readonly message?: string
}

/** Scripts that contain errors, but do not attack the sandbox. */
export const harmlessFaults: Readonly<Record<string, FaultyScript>> = {
  "is not valid JavaScript": { code: "const a = ;", fault: "Threw", message: "SyntaxError" },
  "is invalid in a function body": { code: "if (1) return 2\nconst b = ;", fault: "Threw", message: "SyntaxError" },
  "throws an error": { code: "const a = 1\n\nthrow new TypeError(\"no good\")", fault: "Threw", message: "no good" },
  "throws a value that is not an error": { code: "throw { lone: \"thing\" }", fault: "Threw", message: "lone" },
  "throws a value that cannot be printed": {
    code: "throw { toJSON() { throw 1 }, toString() { throw 2 }, [Symbol.toPrimitive]() { throw 3 } }",
    fault: "Threw"
  },
  "returns a function": { code: "() => 1", fault: "Value", message: "function" },
  "returns a symbol": { code: "({ a: { b: Symbol(\"s\") } })", fault: "Value", message: "symbol at b" },
  "returns a big integer": { code: "10n", fault: "Value", message: "BigInt" },
  "returns a circular object": { code: "const a = {}; a.a = a; a", fault: "Value", message: "circular" },
  "returns an object with a throwing getter": {
    code: "({ get a() { throw new Error(\"not for you\") } })",
    fault: "Value",
    message: "not for you"
  },
  "returns too large a value": { code: "\"x\".repeat(200_000)", fault: "ValueSize" },
  "returns a text with too many bytes": { code: "\"\\u20ac\".repeat(60_000)", fault: "ValueSize" },
  "returns too deep a value": { code: "let a = []; for (let i = 0; i < 70; i++) a = [a]; a", fault: "ValueDepth" },
  "waits for a promise that never settles": { code: "await new Promise(() => {})", fault: "Stalled" },
  "returns a thenable that never settles": { code: "({ then() {} })", fault: "Stalled" },
  "imports a module": { code: "await import(\"node:fs\")", fault: "Threw" },
  "imports a module with a statement": { code: "import fs from \"node:fs\"", fault: "Threw" },
  "imports a module from a data URL": { code: "await import(\"data:text/javascript,1\")", fault: "Threw" }
}

/** Scripts that exhaust memory or other resources. */
export const resourceExhaustion: Readonly<Record<string, FaultyScript>> = {
  "fills memory with lists": { code: "const l = []; for (;;) l.push(new Array(10_000).fill(1))", fault: "Memory" },
  "fills memory with buffers": { code: "const l = []; for (;;) l.push(new ArrayBuffer(1e6))", fault: "Memory" },
  "fills memory with typed arrays": { code: "const l = []; for (;;) l.push(new Float64Array(1e6))", fault: "Memory" },
  "fills memory with one allocation": { code: "new Uint8Array(2 ** 30)", fault: "Memory" },
  "fills memory with closures": {
    code: "let f = () => 1; for (;;) { const g = f; const big = new Array(100).fill(g); f = () => big.length }",
    fault: "Memory"
  },
  "allocates a growable buffer": { code: "new ArrayBuffer(8, { maxByteLength: 2 ** 40 })", fault: "Threw" },
  "allocates too much shared memory": { code: "new SharedArrayBuffer(2 ** 31)", fault: "Threw" },
  "repeats a text": { code: "\"x\".repeat(2 ** 29)", fault: "Memory" },
  "pads a text": { code: "\"x\".padStart(2 ** 29, \"ab\")", fault: "Memory" },
  "doubles a text": { code: "let s = \"x\"; for (;;) s += s", fault: "Threw", message: "string too long" },
  "expands a text many times": { code: "\"a\".repeat(1e6).replace(/a/g, () => \"b\".repeat(1e6))", fault: "Memory" },
  "raises a big integer to a huge power": { code: "2n ** (2n ** 31n)", fault: "Threw", message: "BigInt is too large" },
  "squares a big integer": { code: "let n = 3n; for (;;) n *= n", fault: "Threw", message: "BigInt is too large" },
  "shifts a big integer": { code: "1n << (2n ** 40n)", fault: "Threw", message: "BigInt is too large" },
  "spreads an endless iterator": {
    code: "[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }]",
    fault: "Memory"
  },
  "maximises an array's length": {
    code: "const a = []; a.length = 2 ** 32 - 1; JSON.stringify(a)",
    fault: "Memory"
  },
  "recurses": { code: "const f = () => f() + 1; f()", fault: "Stack" },
  "recurses by getters": { code: "const o = { get a() { return this.a } }; o.a", fault: "Stack" },
  "recurses by proxies": { code: "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x", fault: "Stack" },
  "recurses by conversion": { code: "const o = { toString() { return `${o}` } }; `${o}`", fault: "Stack" },
  "recurses by sorting": {
    code: "const f = (n) => [1, 2].sort(() => f(n + 1)); f(0)",
    fault: "Stack"
  },
  "parses JSON that is too deep": { code: "JSON.parse(\"[\".repeat(1e6))", fault: "Threw", message: "stack overflow" },
  "compiles a regular expression that is too deep": {
    code: "new RegExp(\"(\".repeat(1e5) + \")\".repeat(1e5))",
    fault: "Threw"
  },
  "evaluates code that is too deep": { code: "eval(\"(\".repeat(1e5) + \"1\" + \")\".repeat(1e5))", fault: "Stack" }
}

/** Scripts that replace built-in objects and functions, with the results of the scripts. */
export const builtinReplacement: ReadonlyArray<readonly [code: string, value: unknown]> = [
  ["Object.prototype.toJSON = () => 5; ({ a: 1 })", 5],
  [
    "Array.prototype.toJSON = () => 5; await ask(1).catch((e) => e.message)",
    "the arguments of ask cannot be represented in JSON"
  ],
  ["Array.prototype.toJSON = () => undefined; (await ask(1).catch((e) => 7)) + 0", 7],
  ["Object.prototype.error = { message: \"forged\" }; await ask(2).catch((e) => e.message)", "forged"],
  ["JSON.parse = JSON.stringify = () => { throw 1 }; await ask(2)", { fine: true }],
  ["Promise.prototype.then = () => 1; Promise.resolve = () => 2; 3", 3],
  ["globalThis.Promise = globalThis.Error = globalThis.JSON = undefined; await ask(2)", { fine: true }],
  ["for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} }\n4", 4],
  ["Function.prototype.call = Function.prototype.bind = () => { throw 1 }; console.log(1); 5", 5],
  ["Object.setPrototypeOf(globalThis, new Proxy({}, { get: () => 6, has: () => false })); 6", 6]
]

export const failingBuiltinReplacement: Readonly<Record<string, FaultyScript>> = {
  "replaces toJSON, and throws": { code: "Object.prototype.toJSON = () => {}; throw 1", fault: "Threw", message: "1" },
  "replaces String.prototype.slice, and throws": {
    code: "String.prototype.slice = () => ({}); throw new Error(\"x\".repeat(1000))",
    fault: "Threw",
    message: "xxx..."
  },
  "an error's stack": {
    code: "const e = new Error(\"a\"); e.stack = { }; throw e",
    fault: "Threw",
    message: "Error: a"
  },
  "an error without a prototype": { code: "throw Object.create(null)", fault: "Threw", message: "{}" },
  "a proxy that throws": {
    code: "throw new Proxy({}, { getPrototypeOf() { throw 1 }, get() { throw 2 }, ownKeys() { throw 3 } })",
    fault: "Threw",
    message: "[object]"
  },
  "an error of memory": { code: "throw new InternalError(\"out of memory\")", fault: "Memory" },
  "null": { code: "throw null", fault: "Threw", message: "null" }
}

export const logFlooding: Readonly<Record<string, FaultyScript>> = {
  "logs endlessly": { code: "for (;;) console.log(\"x\")", fault: "Log" },
  "logs too many lines, and continues": { code: "for (let i = 0; i < 2_000; i++) console.log(i); 1", fault: "Log" },
  "logs one line that is too long": { code: "console.log(\"x\".repeat(1e6))", fault: "Log" },
  "logs a list that is too long": { code: "console.log(...new Array(5e4).fill(\"xxxxxxxx\"))", fault: "Log" },
  "logs endlessly and catches the errors": {
    code: "for (;;) { try { console.log(\"x\".repeat(1e4)) } catch {} }",
    fault: "Log"
  }
}

/** Scripts that never end and ignore interruption, and therefore stop only when their thread ends. */
export const endlessScripts: Readonly<Record<string, string>> = {
  "in a loop": "for (;;);",
  "in a loop that catches everything": "for (;;) { try { throw 1 } catch {} finally { continue } }",
  "in loops with labels": "outer: for (;;) { for (;;) { try { break outer } finally { continue outer } } }",
  "in a generator": "function* g() { for (;;) yield 1 }\nfor (const x of g());",
  "in a constructed function": "Function(\"for (;;);\")()",
  "in evaluated code": "(0, eval)(\"for (;;);\")",
  "in the conversion to a primitive": "({ [Symbol.toPrimitive]() { for (;;); } }) + 1",
  "in the species of an array":
    "class A extends Array { static get [Symbol.species]() { for (;;); } }\nnew A(1, 2).map((x) => x)",
  "in promises": "const again = () => Promise.resolve().then(again); await again()",
  "in an asynchronous generator": "async function* g() { for (;;) yield 1 }\nfor await (const x of g());",
  "in a regular expression": "/^(a+)+$/.test(\"a\".repeat(40) + \"b\")",
  "in one built-in call": "new Array(2 ** 28).join(\"abc\")",
  "in a getter of its result": "({ get a() { for (;;); } })",
  "in proxy traps of its result": "new Proxy({}, { ownKeys() { for (;;); } })",
  "in toJSON of its error": "throw { toJSON() { for (;;); } }",
  "in the message of its error":
    "const e = new Error(); Object.defineProperty(e, \"message\", { get() { for (;;); } }); throw e",
  "in a thenable": "({ then() { for (;;); } })",
  "in a logged value": "console.log({ toJSON() { for (;;); } })",
  "in an argument": "await ask({ toJSON() { for (;;); } })"
}

/** A script with tricks that escape from weaker sandboxes, which returns what each trick can access. */
export const escapeAttempts = String.raw`
const found = {}
const names = ["process", "require", "module", "global", "Buffer", "fetch", "WebAssembly", "Worker", "setTimeout",
  "setInterval", "setImmediate", "queueMicrotask", "structuredClone", "XMLHttpRequest", "WebSocket", "MessageChannel",
  "postMessage", "performance", "navigator", "Deno", "Bun", "std", "os", "bjson", "scriptArgs", "print", "__loadScript"]
const seenBy = (look) => names.filter((name) => { try { return look(name) } catch { return false } }).join()
const reach = async (label, make) => {
  const seen = []
  for (const name of names) if (await make("return typeof " + name + " !== 'undefined'")()) seen.push(name)
  found[label] = seen.join()
}
found.globals = seenBy((name) => name in globalThis)
await reach("constructor of a list", [].constructor.constructor)
await reach("constructor of a function of ours", console.log.constructor)
await reach("constructor of the sandbox's function", ask.constructor)
await reach("asynchronous constructor", Object.getPrototypeOf(async () => {}).constructor)
const viaGenerator = Object.getPrototypeOf(function* () {}).constructor
await reach("generator's constructor", (code) => () => viaGenerator(code)().next().value)
const viaAsyncGenerator = Object.getPrototypeOf(async function* () {}).constructor
found["asynchronous generator's constructor"] =
  (await viaAsyncGenerator("yield typeof process + typeof require")().next()).value
found["sloppy this"] = (function () { return this === undefined || this === globalThis })()
found["eval"] = (0, eval)("typeof process + typeof require")
const rejection = await ask(0, { toString: 1 }).catch((error) => error)
found["constructor of a rejection"] = rejection.constructor.constructor("return typeof process")()
const reply = await ask(1)
found["constructor of a reply"] = reply.constructor.constructor("return typeof process")()
found["caller"] = (() => { try { return typeof ask.caller } catch { return "none" } })()
found["stack"] = new Error("x").stack.includes("/")
Error.prepareStackTrace = (_, sites) => sites
found["stack's sites"] = typeof new Error("x").stack
found["inputs' constructor"] = inputs.constructor.constructor("return typeof process")()
const kept = {}
found["weak"] = typeof new WeakRef(kept).deref() + typeof new FinalizationRegistry(() => {})
found["proxied"] = (() => { const p = new Proxy(ask, { apply: () => 1 }); return p() })()
return found`
