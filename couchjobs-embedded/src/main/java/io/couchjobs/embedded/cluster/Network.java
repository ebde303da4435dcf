package io.couchjobs.embedded.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Carries questions and answers between nodes, with delays and in order. Messages may be lost. */
final class Network {
    /** The time in microseconds between two messages on a connection. */
    private static final long SPACING = 10;

    private final Agenda agenda;
    private final Delays delays;
    private final long tick;
    private final List<Member> members;
    private final List<Link> links = new ArrayList<>();
    private final Map<Long, Long> arrivals = new HashMap<>();
    private final List<Consumer<Link>> restored = new ArrayList<>();
    private final List<Consumer<Link>> lost = new ArrayList<>();

    /** @param tick microseconds after which both nodes give up a silent connection */
    Network(Agenda agenda, Delays delays, List<Member> members, long tick) {
        this.agenda = agenda;
        this.delays = delays;
        this.members = members;
        this.tick = tick;
        for (Member one : members) {
            members.stream()
                    .filter(other -> other.number() > one.number())
                    .forEach(other -> links.add(new Link(one, other)));
        }
    }

    void onRestored(Consumer<Link> listener) {
        restored.add(listener);
    }

    /** Registers a listener for connections that are given up. The returned task removes the listener. */
    Runnable onLost(Consumer<Link> listener) {
        lost.add(listener);
        return () -> lost.remove(listener);
    }

    Link link(Member one, Member other) {
        for (Link link : links) {
            if (link.joins(one) && link.joins(other)) {
                return link;
            }
        }
        throw new IllegalArgumentException("A node has no connection with itself.");
    }

    boolean isConnected(Member one, Member other) {
        return one == other || !link(one, other).isDown();
    }

    /** {@return the nodes that a node is connected with, including itself} */
    List<Member> connected(Member with) {
        return members.stream().filter(other -> isConnected(with, other)).toList();
    }

    /** Sends a question. The asker gets the reply, or learns that the connection was given up. */
    <T> void ask(Ask<T> ask) {
        if (ask.asker() == ask.asked()) {
            carry(ask.asker(), ask.asked(), () -> serve(ask));
            return;
        }
        Link link = link(ask.asker(), ask.asked());
        if (link.isDown()) {
            ask.down();
        } else {
            link.opened(ask);
            send(link, ask.asker(), ask.asked(), () -> serve(ask));
        }
    }

    /** Sends a message that needs no answer. The message is lost when the connection is given up. */
    void tell(Member from, Member to, Runnable message) {
        if (from == to) {
            carry(from, to, message);
        } else if (!link(from, to).isDown()) {
            send(link(from, to), from, to, message);
        }
    }

    private <T> void serve(Ask<T> ask) {
        Member at = ask.asked();
        at.perform(delays.begin(at.number()), () -> {
            T answer = ask.work().get();
            if (ask.writes()) {
                at.perform(delays.disk(at.number()), () -> answer(ask, answer));
            } else {
                answer(ask, answer);
            }
        });
    }

    private <T> void answer(Ask<T> ask, T answer) {
        if (ask.asker() == ask.asked()) {
            carry(ask.asked(), ask.asker(), () -> ask.reply().accept(answer));
            return;
        }
        Link link = link(ask.asker(), ask.asked());
        if (!link.isDown()) {
            send(link, ask.asked(), ask.asker(), () -> {
                if (link.closed(ask)) {
                    ask.reply().accept(answer);
                }
            });
        }
    }

    private void send(Link link, Member from, Member to, Runnable message) {
        if (link.isCutFrom(from)) {
            link.hold(() -> carry(from, to, message));
        } else {
            carry(from, to, message);
        }
    }

    /** Delivers a message after its delay. Messages in the same direction between two nodes do not overtake each other. */
    private void carry(Member from, Member to, Runnable message) {
        long way = (long) from.number() << Integer.SIZE | to.number();
        long arrival = Math.max(
                agenda.now() + delays.link(from.number(), to.number()), arrivals.getOrDefault(way, -SPACING) + SPACING);
        arrivals.put(way, arrival);
        to.perform(arrival - agenda.now(), message);
    }

    void cut(Member one, Member other, boolean cut) {
        Link link = link(one, other);
        link.cut(cut);
        review(link);
    }

    /** Cuts or restores one direction only: the messages from {@code from} to {@code to}. */
    void cutFrom(Member from, Member to, boolean cut) {
        Link link = link(from, to);
        link.cutFrom(from, cut);
        review(link);
    }

    /** Updates the connections of a node after its state has changed. */
    void review(Member member) {
        links.stream().filter(link -> link.joins(member)).forEach(this::review);
    }

    /** Updates a connection. A dead process is noticed at once, a silent one only after the tick. */
    private void review(Link link) {
        long number = link.change();
        if (link.hasEnded()) {
            giveUp(link);
        } else if (!link.isHealthy()) {
            agenda.after(tick, () -> giveUp(link, number));
        } else if (link.isDown()) {
            link.restore();
            restored.forEach(listener -> listener.accept(link));
        } else {
            link.release().forEach(Runnable::run);
        }
    }

    private void giveUp(Link link, long number) {
        if (!link.changedSince(number) && !link.isHealthy()) {
            giveUp(link);
        }
    }

    private void giveUp(Link link) {
        link.giveUp();
        List.copyOf(lost).forEach(listener -> listener.accept(link));
    }
}
