// Receives webhooks and prints each event once: node webhook-server.js
// Set PORT and LEADLINE_WEBHOOK_SECRET, which webhooks.create returns. While you replace the
// secret, put both there, with a comma between them.
import { createServer } from "node:http";
import { WebhookVerificationError, verifyWebhook } from "leadline/webhooks";

const secret = process.env.LEADLINE_WEBHOOK_SECRET;
if (!secret) throw new Error("set LEADLINE_WEBHOOK_SECRET");
const mostBytes = 64 * 1024; // an event has at most 16 KiB
const handled = new Set<string>(); // keep the ids for a day in a real receiver

createServer(async (request, response) => {
  let event;
  try {
    let body = Buffer.alloc(0);
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk]);
      if (body.length > mostBytes) throw new WebhookVerificationError("the body is too long");
    }
    event = await verifyWebhook(body, request.headers, secret.split(","));
  } catch (error) {
    console.error(String(error));
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    return;
  }
  response.writeHead(204).end();
  try {
    if (handled.has(event.data.eventId)) return;
    if (event.type === "decision.material_change") {
      console.log(event.data.direction, event.data.decision.headline);
    } else {
      console.log(event.type, event.timestamp);
    }
    handled.add(event.data.eventId);
  } catch (error) {
    console.error("the work has failed:", error); // a replay sends the event again
  }
}).listen(process.env.PORT ?? 8081);
