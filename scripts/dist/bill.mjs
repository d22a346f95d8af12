// Validates bills of materials with the library of CycloneDX.
//
//   node bill.mjs FILE...
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { readFileSync } from 'node:fs'

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8')
  const wrong = await validator.validate(text)
  if (wrong) throw new Error(`${file}: ${JSON.stringify(wrong)}`)
  console.log(`ok: ${JSON.parse(text).components.length} components of ${file.split('/').pop()}`)
}
