import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Creates a self-signed certificate. `names` are its alternative names, such as `DNS:*.tapeline.test,IP:192.0.2.7`. */
export const makeCertificate = (names: string): { readonly cert: string; readonly key: string } => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-certificate-"))
  const subject = ["-subj", "/CN=tapeline.test", "-addext", `subjectAltName=${names}`]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
  execFileSync("openssl", ["req", "-x509", ...curve, "-keyout", "key", "-out", "cert", ...subject], {
    cwd: dir,
    stdio: "ignore"
  })
  const [cert, key] = [readFileSync(join(dir, "cert"), "utf8"), readFileSync(join(dir, "key"), "utf8")]
  rmSync(dir, { recursive: true })
  return { cert, key }
}
