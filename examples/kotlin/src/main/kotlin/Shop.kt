package example

import io.couchjobs.JobQueue
import io.couchjobs.job.JobType
import io.couchjobs.worker.JobHandler
import io.couchjobs.worker.PermanentJobException
import java.time.Duration

data class Email(val to: String, val subject: String = "Welcome")

val EMAIL: JobType<Email> = JobType.of("email", Email::class.java)

val mailer = JobHandler<Email> { email, context ->
    if ('@' !in email.to) throw PermanentJobException("not an address: ${email.to}")
    context.log("sending ${email.subject}")
    "sent to ${email.to}"
}

fun main(arguments: Array<String>) {
    JobQueue.open(arguments[0]).use { queue ->
        queue.worker().concurrency(4).handler(EMAIL, mailer).start().use {
            val id = queue.add(EMAIL, Email("ada@example.org")).id()
            val job = queue.awaitFinished(id, Duration.ofMinutes(1)).orElseThrow()
            println("${job.status()}: ${job.result().orElseThrow().asText()}")
        }
    }
}
